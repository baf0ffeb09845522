const MIB = 1_024 * 1_024
/** Programs such as Node reserve this much address space and never fill it; the watch counts what they fill. */
const RESERVED_MB = 1_024

/** The words that start a program with the limits that the system keeps for one process. */
export const resourceLimits = (
  { memoryMb, diskMb }: { memoryMb: number; diskMb: number },
  ...more: readonly string[]
): string[] => [
  'prlimit',
  '--core=0',
  `--data=${(memoryMb + RESERVED_MB) * MIB}`,
  `--fsize=${diskMb * MIB}`,
  ...more,
  '--',
]

/** Signals as a program expects them. Without SIGXFSZ it hears of a file that is too large as an error, which it can tell. */
export const withPlainSignals = ['env', '--default-signal=TERM,INT,HUP', '--ignore-signal=XFSZ', '--']
