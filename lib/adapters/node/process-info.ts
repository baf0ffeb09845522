import { freemem, loadavg, totalmem } from 'node:os'
import type { ProcessInfo } from '../../ports/process-info.ts'

/** The running process, through `process`, `os` and `perf_hooks`. */
export const createProcessInfo = (): ProcessInfo => ({
  platform: process.platform,
  nodeVersion: process.version,
  read() {
    const { rss, heapUsed } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    return {
      uptimeSeconds: process.uptime(),
      memory: memory(),
      residentBytes: rss,
      heapUsedBytes: heapUsed,
      cpuSeconds: (user + system) / 1_000_000,
      eventLoopBusySeconds: performance.eventLoopUtilization().active / 1_000,
      loadAverage: loadavg(),
    }
  },
})

const memory = () => {
  const machine = totalmem()
  // Without a limit this is 0, or larger than any machine's memory, depending on the version of cgroups.
  const limit = process.constrainedMemory()
  const limited = limit > 0 && limit < machine
  const total = limited ? limit : machine
  const free = limited ? process.availableMemory() : freemem()
  return { used: Math.max(0, total - free), total }
}
