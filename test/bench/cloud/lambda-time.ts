/** Lambda gives a function a share of a processor by its memory: one at 1,769 MB. */
const MB_A_PROCESSOR = 1_769

type Spent = { ms: number; cpuMs: number; trips: number }
type There = { memoryMb: number; tripMs: number }

/**
 * Milliseconds that Lambda would bill for what took `ms` here: more for a smaller share of a processor, more for each
 * wait for an answer, rounded up.
 */
export const billedMs = ({ ms, cpuMs, trips }: Spent, { memoryMb, tripMs }: There): number => {
  const share = Math.min(1, memoryMb / MB_A_PROCESSOR)
  return Math.ceil(ms + cpuMs * (1 / share - 1) + trips * tripMs)
}

export const gbSeconds = (ms: number, memoryMb: number): number => (ms / 1_000) * (memoryMb / 1_024)

/** Bytes that Lambda itself writes to the log of an invocation: START, END and REPORT. */
export const PLATFORM_LOG_BYTES = 350
