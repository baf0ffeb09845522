/** Measurements of the process and its machine at one moment. */
export type ProcessReading = {
  /** Seconds since the process started. */
  uptimeSeconds: number
  /** Used and total bytes of memory, of the container where it has a limit, else of the machine. */
  memory: { used: number; total: number }
  /** Resident bytes of the process, and bytes of its JavaScript heap. */
  residentBytes: number
  heapUsedBytes: number
  /** Processor time of the process, and time in which its event loop was not idle, since the start. */
  cpuSeconds: number
  eventLoopBusySeconds: number
  /** Runnable tasks on the machine, averaged over 1, 5 and 15 minutes. */
  loadAverage: readonly number[]
}

/** The process seen from inside. */
export interface ProcessInfo {
  readonly platform: string
  readonly nodeVersion: string
  read(): ProcessReading
}
