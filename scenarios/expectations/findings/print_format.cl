// A format string of three characters.
kernel void print_number(int number)
{
    printf("%d\n", number);
}
