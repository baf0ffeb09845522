import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** The parent and the state of a process; the name before them may hold anything but its last parenthesis. */
const processState = (pid: number): [state: string, parent: number] => {
  const [state = '', parent = '0'] = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return [state, Number(parent)]
}

const processes = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** A process with all that it started and they did. */
export const processTree = (pid: number): number[] => [
  pid,
  ...processes()
    .filter((other) => processState(other)[1] === pid)
    .flatMap(processTree),
]

/** Whether a process is there; one that nobody has taken leave of yet is not. */
export const isRunning = (pid: number): boolean => !['', 'Z'].includes(processState(pid)[0])

const socketInodes = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
    } catch {
      return []
    }
  })

const LISTENING = '0A'

/** The addresses that processes listen on, as the kernel writes them: `0100007F` is 127.0.0.1. */
export const listenedOn = (pids: readonly number[]): string[] => {
  const own = new Set(pids.flatMap(socketInodes))
  return ['tcp', 'tcp6'].flatMap((kind) =>
    read(`/proc/net/${kind}`)
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTENING && own.has(fields[9] ?? ''))
      .map((fields) => fields[1]?.split(':')[0] ?? ''),
  )
}
