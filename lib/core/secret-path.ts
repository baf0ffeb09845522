/** Names of files and folders with credentials (`*`: any characters), for guard, search and diff. Case is ignored. */
export const secretNames = [
  '.env*',
  '*.env',
  '.npmrc',
  '.pypirc',
  '.netrc',
  '_netrc',
  '.git-credentials',
  '.pgpass',
  '.htpasswd',
  '.dockercfg',
  '.ssh',
  '.aws',
  '.azure',
  '.gcloud',
  '.gnupg',
  '.kube',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '.credentials*',
  'credentials',
  'credentials.json',
  'credentials.y*ml',
  'credentials.ini',
  'credentials.csv',
  'credentials.db',
  'secrets.json',
  'secrets.y*ml',
  'service-account*.json',
] as const

// Source code uses these names for the environment; they are not files.
const ordinary: readonly string[] = ['process.env', 'import.meta.env']

// A name has at most one `*`, so matching is a prefix and a suffix, without a pattern engine and without backtracking.
const fits = (segment: string, name: string): boolean => {
  const [head = '', tail] = name.split('*')
  if (tail === undefined) return segment === head
  return segment.length >= head.length + tail.length && segment.startsWith(head) && segment.endsWith(tail)
}

const isSecret = (segment: string): boolean =>
  !ordinary.includes(segment) && secretNames.some((name) => fits(segment, name))

/** The first segment of a path that names a credential file or folder, or undefined. */
export const secretSegment = (path: string): string | undefined =>
  path.split(/[/\\]/).find((segment) => isSecret(segment.trim().toLowerCase()))
