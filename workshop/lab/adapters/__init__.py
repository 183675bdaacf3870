"""What each benchmark brings for the lab."""
