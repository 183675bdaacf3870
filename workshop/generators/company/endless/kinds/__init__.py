"""The kinds of tasks: each draws what is asked, by whom, and in which words it is named."""
