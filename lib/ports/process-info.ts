/** What the process and its machine measure at one moment. */
export type ProcessReading = {
  /** Seconds since the process started. */
  uptimeSeconds: number
  /** Bytes in use and bytes there are, of the container where one sets a limit, else of the machine. */
  memory: { used: number; total: number }
  /** Bytes of memory that the process itself holds, and of its JavaScript heap. */
  residentBytes: number
  heapUsedBytes: number
  /** Processor time of the process, and time its event loop was not idle, since the start. */
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
