type Can = 'yes' | 'no'

/** In a sandbox, as users of their own, and without either: as root, and as an unprivileged user. */
export const means = ['sandbox', 'users', 'none'] as const
export type Means = (typeof means)[number]
export type User = 'root' | 'user'

export type Case = {
  /** Completes "A program of an agent can …". */
  title: string
  /** Whether it could is asked of what the program left running: after its end, or after a kill of who started it. */
  lives?: true
  killed?: true
  /** The body of an async function of Node, with `place` in scope, that answers whether it could. Throwing means that it could not. */
  attempt: string
  sandbox: Can
  /** As root in a container; that of the sandbox when absent. */
  users?: Can
  none: Can | Readonly<Record<User, Can>>
}

/** What the attempts are about. */
export type Place = {
  /** A data folder as the service has it: `service.db`, `encryption.key`. */
  data: string
  /** A home folder with a key in it. */
  home: string
  /** The workspace of another task, and a file of it in the folder for temporary files of the system. */
  other: string
  shared: string
  /** The process that stands for the service, and its loopback port and sockets. */
  pid: number
  port: number
  socket: string
  abstractSocket: string
  /** A secret in the environment of that process, and the folder of its code. */
  canary: string
  code: string
}

/** Limits that the attempts to exceed them pass. */
export const limits = { memoryMb: 300, processes: 40, diskMb: 128 }

const read = (path: string) => `return fs.readFileSync(${path}, 'utf8').length > 0`

export const cases: readonly Case[] = [
  {
    title: 'write to its workspace',
    attempt: `fs.writeFileSync('made', 'x'); return true`,
    sandbox: 'yes',
    none: 'yes',
  },
  {
    title: 'keep files in HOME and TMPDIR for the next program',
    attempt: `
      const files = [process.env.HOME, process.env.TMPDIR].map((folder) => folder + '/kept')
      for (const file of files) fs.writeFileSync(file, 'x')
      return true`,
    sandbox: 'yes',
    none: 'yes',
  },
  {
    title: 'find what an earlier program kept there',
    attempt: `return [process.env.HOME, process.env.TMPDIR].every((folder) => fs.existsSync(folder + '/kept'))`,
    sandbox: 'yes',
    none: 'yes',
  },
  {
    title: 'run sh, git and node',
    attempt: `return ['sh', 'git', 'node'].every((file) => spawnSync(file, ['--version']).error === undefined)`,
    sandbox: 'yes',
    none: 'yes',
  },
  {
    title: 'read the service’s database',
    attempt: read(`place.data + '/service.db'`),
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'read the service’s encryption key',
    attempt: read(`place.data + '/encryption.key'`),
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'change the service’s database',
    attempt: `fs.appendFileSync(place.data + '/service.db', 'x'); return true`,
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'read the workspace of another task',
    attempt: read(`place.other + '/notes.txt'`),
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'read keys in a home folder',
    attempt: read(`place.home + '/.ssh/id_ed25519'`),
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'list the folder that the service runs from',
    attempt: `return fs.readdirSync(place.code).includes('package.json')`,
    sandbox: 'no',
    users: 'yes',
    none: 'yes',
  },
  {
    title: 'read other settings of the system',
    attempt: `return ['fstab', 'hostname', 'machine-id', 'login.defs'].some((name) => fs.existsSync('/etc/' + name))`,
    sandbox: 'no',
    users: 'yes',
    none: 'yes',
  },
  {
    title: 'read what others leave in /tmp for all to read',
    attempt: read('place.shared'),
    sandbox: 'no',
    users: 'yes',
    none: 'yes',
  },
  {
    title: 'see the service’s process',
    attempt: `return fs.existsSync('/proc/' + place.pid)`,
    sandbox: 'no',
    users: 'yes',
    none: 'yes',
  },
  {
    title: 'read the service’s environment in /proc',
    attempt: `return fs.readFileSync('/proc/' + place.pid + '/environ', 'utf8').includes(place.canary)`,
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'read the service’s memory',
    attempt: `
      const [, start] = /^([0-9a-f]+)-\\S+ r/m.exec(fs.readFileSync('/proc/' + place.pid + '/maps', 'utf8'))
      fs.readSync(fs.openSync('/proc/' + place.pid + '/mem', 'r'), Buffer.alloc(1), 0, 1, parseInt(start, 16))
      return true`,
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'find the service’s environment in its own',
    attempt: `return JSON.stringify(process.env).includes(place.canary)`,
    sandbox: 'no',
    none: 'no',
  },
  {
    title: 'send signals to the service',
    attempt: `process.kill(place.pid, 0); return true`,
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'write to the system’s folders',
    attempt: `fs.writeFileSync('/usr/tried', ''); fs.rmSync('/usr/tried'); return true`,
    sandbox: 'no',
    none: { root: 'yes', user: 'no' },
  },
  {
    title: 'act as root',
    attempt: `return process.getuid() === 0`,
    sandbox: 'no',
    none: { root: 'yes', user: 'no' },
  },
  {
    title: 'become another user by setuid programs',
    attempt: `return /^NoNewPrivs:\\s*0/m.test(fs.readFileSync('/proc/self/status', 'utf8'))`,
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'reach the service on loopback',
    attempt: `return await connects({ port: place.port })`,
    sandbox: 'no',
    users: 'yes',
    none: 'yes',
  },
  {
    title: 'reach a Unix socket of the machine',
    attempt: `return await connects({ path: place.socket })`,
    sandbox: 'no',
    users: 'yes',
    none: 'yes',
  },
  {
    title: 'reach an abstract socket of the machine',
    attempt: `return fs.readFileSync('/proc/net/unix', 'utf8').includes(place.abstractSocket)`,
    sandbox: 'no',
    users: 'yes',
    none: 'yes',
  },
  {
    title: 'leave a process running that left its group',
    attempt: `leave(); await sleep(300); return true`,
    lives: true,
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'outlive the service when that is killed (kill -9)',
    attempt: `leave(); await sleep(60_000)`,
    killed: true,
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'use more memory than AGENT_MEMORY_MB',
    attempt: `const held = []; for (let i = 0; i < 8; i++) held.push(Buffer.alloc(64 * 2 ** 20, i)); await sleep(30_000); return true`,
    sandbox: 'no',
    none: 'no',
  },
  {
    title: 'hold more than AGENT_MEMORY_MB in files in memory',
    // memfd_create(2), which Node does not have; several, since a file of its own may not be as large.
    attempt: `
      const number = process.arch === 'arm64' ? 279 : 319
      const make = 'my @held; for my $name (1..5) { open(my $file, ">&=", syscall(' + number + ', "$name", 0)) or die; ' +
        'syswrite($file, "x" x 2**20) or die for (1..100); push @held, $file } sleep 30'
      const { error, status } = spawnSync('perl', ['-e', make])
      if (error) throw new Error('perl is missing')
      return status !== null`,
    sandbox: 'no',
    users: 'yes',
    none: 'no',
  },
  {
    title: 'run more threads than AGENT_PROCESSES',
    attempt: `
      const { Worker } = require('node:worker_threads')
      for (let i = 0; i < 48; i++) new Worker('setTimeout(() => 0, 30_000)', { eval: true })
      await sleep(30_000)
      return true`,
    sandbox: 'no',
    none: 'no',
  },
  {
    title: 'run more processes than AGENT_PROCESSES',
    attempt: `for (let i = 0; i < 48; i++) spawn('sleep', ['30']); await sleep(30_000); return true`,
    sandbox: 'no',
    none: 'no',
  },
  {
    title: 'hold more than AGENT_DISK_MB in deleted files',
    // Several, since a file of its own may not be as large.
    attempt: `
      const piece = Buffer.alloc(32 * 2 ** 20)
      for (let i = 0; i < 8; i++) {
        const file = fs.openSync('deleted', 'w')
        fs.unlinkSync('deleted')
        fs.writeSync(file, piece)
      }
      await sleep(30_000)
      return true`,
    sandbox: 'no',
    users: 'yes',
    none: 'no',
  },
  {
    title: 'fill /tmp beyond AGENT_DISK_MB',
    attempt: `
      const folder = fs.mkdtempSync('/tmp/fill-')
      process.on('exit', () => fs.rmSync(folder, { recursive: true }))
      const piece = Buffer.alloc(32 * 2 ** 20)
      for (let i = 0; i < 8; i++) fs.writeFileSync(folder + '/' + i, piece)
      // It is found by a search of /tmp, in which much may lie.
      await sleep(45_000)
      return true`,
    sandbox: 'no',
    none: 'yes',
  },
  {
    title: 'fill the disk beyond AGENT_DISK_MB',
    attempt: `
      const piece = Buffer.alloc(32 * 2 ** 20)
      for (let i = 0; i < 8; i++) fs.writeFileSync('fill' + i, piece)
      await sleep(30_000)
      return true`,
    sandbox: 'no',
    none: 'no',
  },
]
