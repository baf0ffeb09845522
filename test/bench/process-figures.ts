import { readdirSync, readFileSync } from 'node:fs'

const field = (text: string, name: string): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(text)?.[1])
const stat = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []

export const residentMb = (pid: number): number =>
  field(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS') / 1_024

/** Memory of a process, with its share of what it has in common with others; undefined for one that has ended, or is another user's. */
export const proportionalMb = (pid: number): number | undefined => {
  try {
    return field(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss') / 1_024
  } catch {
    return undefined
  }
}

/** Seconds of processor time that a process has used. */
export const cpuSeconds = (pid: number): number => (Number(stat(pid)[11]) + Number(stat(pid)[12])) / 100

/** Seconds of processor time that all processes of the machine have used. */
export const machineCpuSeconds = (): number => {
  const [, user, nice, system] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/\s+/)
  return (Number(user) + Number(nice) + Number(system)) / 100
}

type Found = { pid: number; parent: number; command: string }
const allProcesses = (): Found[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const pid = Number(name)
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ')
        return [{ pid, parent: Number(stat(pid)[1]), command }]
      } catch {
        return []
      }
    })

/** The processes below one, with their command lines. */
export const processesBelow = (ancestor: number): { pid: number; command: string }[] => {
  const all = allProcesses()
  const below = (pid: number): Found[] =>
    all.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...below(one.pid)])
  return below(ancestor)
}
