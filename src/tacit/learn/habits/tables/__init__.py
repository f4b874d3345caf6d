"""What is known of programs by name: data only, read by naming.py."""
