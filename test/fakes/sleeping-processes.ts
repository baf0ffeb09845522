import { readdirSync, readFileSync } from 'node:fs'

/** How many processes of this machine have `sleep` with this time as their command. */
export const countSleeping = (seconds: string): number =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0`
    } catch {
      // The process has ended since the list was read.
      return false
    }
  }).length
