/* A module that exports a variable and no function. */
global int lone = 5;
