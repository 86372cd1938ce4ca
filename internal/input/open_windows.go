package input

// nonblocking is 0: opening a file never waits for another process.
const nonblocking = 0
