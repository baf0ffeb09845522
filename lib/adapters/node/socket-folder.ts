import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const PREFIX = 'agent-socket-'
const SOCKET = 'service.sock'

/**
 * Listens on a Unix socket for programs in sandboxes, in a new folder that no other user of the machine can enter. `remove`
 * removes the folder once the server is closed.
 */
export const listenInFolder = async (
  server: Pick<Server, 'listen' | 'once'>,
): Promise<{ path: string; remove: () => Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  const path = join(folder, SOCKET)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  // Programs may run as another user, who sees the socket alone.
  await chmod(path, 0o666)
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}

/**
 * Whether the process that made the folder is dead: nothing listens on its socket, or it ended before it listened. A folder
 * of another user is not judged.
 */
const isLeft = async (folder: string): Promise<boolean> => {
  const socket = connect(join(folder, SOCKET))
  try {
    await once(socket, 'connect')
    return false
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    return code === 'ECONNREFUSED' || (code === 'ENOENT' && !isRunning(makerId(folder)))
  } finally {
    socket.destroy()
  }
}

/** The id of the process that made the folder. */
const makerId = (folder: string): number => Number(basename(folder).slice(PREFIX.length).split('-')[0])

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Removes the folders of processes that were killed: nothing listens on their sockets. */
export const removeLeftSockets = async (): Promise<void> => {
  const names = await readdir(tmpdir())
  const removeIfLeft = async (name: string) => {
    const folder = join(tmpdir(), name)
    if (await isLeft(folder)) await rm(folder, { recursive: true, force: true })
  }
  // One that another process removes at the same time is gone all the same.
  await Promise.allSettled(names.filter((name) => name.startsWith(PREFIX)).map(removeIfLeft))
}
