"""What runs at every command of a shell: the snippet a shell loads, and the recorder that it hands each command to."""
