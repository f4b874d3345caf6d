"""What a person does again and again in the shell: directories, commands, sequences, substitutions."""
