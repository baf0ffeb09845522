import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export type MarkedProcess = { pid: number; words: readonly string[]; folder: string }

const processWith = (pid: string, variable: string): MarkedProcess[] => {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(variable)) return []
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return [{ pid: Number(pid), words, folder: readlinkSync(`/proc/${pid}/cwd`) }]
  } catch {
    // The process has ended since the list was read.
    return []
  }
}

/** The processes of this machine, those in sandboxes too, that have a variable of their environment: `NAME=value`. */
export const markedProcesses = (variable: string): MarkedProcess[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => processWith(pid, variable))
