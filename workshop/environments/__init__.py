"""Our tasks in the frameworks of other people: each of them needs an extra of its own."""
