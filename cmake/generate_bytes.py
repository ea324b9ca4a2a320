"""Writes the bytes of a file as numbers for a C array."""
import sys


def main():
    source, output = sys.argv[1:]
    with open(source, "rb") as file:
        data = file.read()
    with open(output, "w", encoding="ascii") as file:
        for at in range(0, len(data), 16):
            file.write("".join(f"{byte}," for byte in data[at : at + 16]) + "\n")


main()
