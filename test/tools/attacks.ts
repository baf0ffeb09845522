import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Paths that lead out of the workspace, or are dressed up. */
export const attackPaths: readonly string[] = [
  '..',
  '../outside.txt',
  'src/../../outside.txt',
  'src/../src/app.ts',
  '%2e%2e/outside.txt',
  '%2e%2e%2foutside.txt',
  '..%2foutside.txt',
  '%252e%252e%252foutside.txt',
  '%25252e%25252e/outside.txt',
  '%c0%ae%c0%ae/outside.txt',
  '..%c0%afoutside.txt',
  '%u002e%u002e/outside.txt',
  '．．/outside.txt',
  '..／outside.txt',
  '‥/outside.txt',
  '.. /outside.txt',
  '..;/outside.txt',
  '..\\outside.txt',
  'src\\app.ts',
  'C:/Windows/win.ini',
  '/etc/passwd',
  '//etc/passwd',
  '/proc/self/environ',
  '/proc/1/environ',
  '/dev/zero',
  '~',
  '~/.bashrc',
  '~root/.bashrc',
  'src/app.ts\0.png',
  'src/app.ts\n',
  'link.txt',
  'up/outside.txt',
  'up',
  'dangling.txt',
  'circle',
  '.git/config',
  '.GIT/hooks/pre-commit',
  'src/.git/config',
  // Names that other file systems take for `.git`: NTFS, and HFS+ with its ignorable code points.
  'git~1/config',
  'GIT~2/config',
  'src/git~1',
  '.git./config',
  '.git . ./config',
  '.git /config',
  '.git::$INDEX_ALLOCATION/config',
  '.git:stream',
  'git~1::$DATA',
  '.g\u200cit/config',
  '.gi\u200dt/config',
  '\u202e.git/config',
  '.\ufeffGIT/config',
  '.git\u206f/config',
  '.g\u200cit ./config',
  '%2egit/config',
  '.git%20/config',
  '．git/config',
]

export type Attack = [tool: string, input: object]

export const pathCalls = (path: string): Attack[] => [
  ['read_file', { path }],
  ['list_files', { path }],
  ['write_file', { path, content: 'x' }],
  ['edit_file', { path, oldText: 'canary', newText: 'x' }],
  ['search_files', { path, query: 'canary' }],
]

type Line = [command: string, args: string[]]

/** Commands that such paths are given to. */
export const attackCommands: Line[] = [
  ['cat', ['../outside.txt']],
  ['cat', ['--file=../outside.txt']],
  ['cat', ['-f../outside.txt']],
  ['cat', ['x:../outside.txt']],
  ['cat', ['@../outside.txt']],
  ['cat', ['/etc/passwd']],
  ['cat', ['--file=/etc/passwd']],
  ['cat', ['-I/etc/passwd']],
  ['cat', ['file:///etc/passwd']],
  ['cat', ['a b /etc/passwd']],
  ['cat', ['~/x']],
  ['cat', ['link.txt']],
  ['cat', ['up/outside.txt']],
  ['/bin/cat', ['src/app.ts']],
  ['../cat', []],
  ['cat', ['.git/config']],
  ['cat', ['git~1/config']],
  ['cat', ['--file=.git./config']],
  ['cat', ['.g\u200cit/config']],
]

export const metacharacters = [';', '&', '|', '`', '$', '(', ')', '<', '>', '\\', '\n', '\r', '\0']

export const shellCalls = (character: string): Attack[] => [
  ['run_command', { command: `echo${character}x` }],
  ['run_command', { command: 'echo', args: ['a', `b${character}c`] }],
  ['git', { args: ['commit', '-m', `b${character}c`] }],
]

/** Shells that are handed a line. */
export const shellLines: Line[] = [
  ['sh', ['-c', 'ls']],
  ['/bin/bash', ['-lc', 'ls']],
  ['env', ['sh', '-c', 'ls']],
  ['timeout', ['5', 'bash', '-xc', 'ls']],
]

/** Files that hold credentials, by their names. */
export const secretPaths: readonly string[] = [
  '.env',
  '.ENV',
  '.env.local',
  '.env.production',
  'prod.env',
  'src/.env',
  '.npmrc',
  '.netrc',
  '.git-credentials',
  '.ssh/config',
  '.aws/credentials',
  'id_rsa',
  'id_rsa.pub',
  'keys/id_ed25519',
  'server.pem',
  'server.key',
  'credentials',
  'credentials.json',
  'service-account-1.json',
  'notes.txt',
]

export const secretCalls = (path: string): Attack[] => [
  ['read_file', { path }],
  ['edit_file', { path, oldText: 'TOKEN', newText: 'x' }],
  ['search_files', { path, query: 'TOKEN' }],
  ['run_command', { command: 'cat', args: [path] }],
  ['run_command', { command: 'node', args: [`--env-file=${path}`, 'x.js'] }],
  ['git', { args: ['show', `HEAD:${path}`] }],
  ['git', { args: ['diff', '--', path] }],
]

/**
 * Puts into a workspace what the attacks try to get at: links out of it to `outside`, where a file has the canary, and files
 * that hold it in the workspace itself.
 */
export const plantAttacks = async (root: string, outside: string, canary: string): Promise<void> => {
  const inside = (path: string) => join(root, path)
  await writeFile(join(outside, 'outside.txt'), canary)
  await mkdir(inside('src'))
  await writeFile(inside('src/app.ts'), 'const a = 1\n')
  await writeFile(inside('.env'), `TOKEN=${canary}\n`)
  await symlink(join(outside, 'outside.txt'), inside('link.txt'))
  await symlink(outside, inside('up'))
  await symlink(join(outside, 'not-yet.txt'), inside('dangling.txt'))
  await symlink('circle', inside('circle'))
  await symlink('.env', inside('notes.txt'))
}

/** Ways to write hosts of this machine and of private networks in a URL. */
export const privateHosts: readonly string[] = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '017700000001'],
  ...['127.0.0.1.', '127.000.000.001', '%31%32%37.0.0.1', '①②⑦.⓪.⓪.①', '１２７.0.0.1', '127。0。0。1'],
  ...['0', '0.0.0.0', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:0:0:1]'],
  ...['[64:ff9b::127.0.0.1]', '[2002:7f00:1::]', '[::127.0.0.1]', 'localhost', 'LOCALHOST.', 'a.localhost'],
  ...['10.0.0.1', '192.168.0.1', '172.16.0.1', '169.254.169.254', '100.64.0.1', '[fe80::1]', '[fd00::1]'],
]
