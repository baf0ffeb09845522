import { renameSync, writeFileSync } from 'node:fs'

/**
 * Milliseconds of the machine's monotonic clock, which all its processes share: a moment noted here may be subtracted
 * from one noted in another process.
 */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6

/**
 * Notes when each run began, in memory. On SIGUSR2 the notes go to `file`, one `<id> <ms>` per line, and begin anew.
 * Service and peer use this same recorder, so that it weighs the same on both.
 */
export const recordStarts = (file: string): ((id: string) => void) => {
  let ids: string[] = []
  let times: number[] = []
  process.on('SIGUSR2', () => {
    writeFileSync(`${file}.part`, ids.map((id, i) => `${id} ${times[i]}\n`).join(''))
    // The reader waits for the name, so it never sees half a file.
    renameSync(`${file}.part`, file)
    ids = []
    times = []
  })
  return (id) => {
    ids.push(id)
    times.push(machineMs())
  }
}
