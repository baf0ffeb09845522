import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import * as path from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

const OWNER_ONLY = 0o600
const FOLDER_OF_OWNER = 0o700

/** The user's folder of settings, by the XDG Base Directory Specification; on Windows the roaming settings. */
const configFolder = (env: Environment): string => {
  const base = env.XDG_CONFIG_HOME || env.APPDATA || path.join(env.HOME || homedir(), '.config')
  return path.join(base, 'agent-tasks')
}

/** Writes a file that only its owner can read, atomically. */
const writeSecret = (file: string, text: string) => {
  mkdirSync(path.dirname(file), { recursive: true, mode: FOLDER_OF_OWNER })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, text, { mode: OWNER_ONLY, flag: 'wx' })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The Ed25519 key of this device, made at its first use. */
export const deviceKey = (env: Environment): { secret: KeyObject; publicKey: Buffer } => {
  const file = path.join(configFolder(env), 'device-key.pem')
  const stored = readIfThere(file)
  const secret = stored === undefined ? generateKeyPairSync('ed25519').privateKey : createPrivateKey(stored)
  if (stored === undefined) writeSecret(file, String(secret.export({ type: 'pkcs8', format: 'pem' })))
  const { x = '' } = createPublicKey(secret).export({ format: 'jwk' })
  return { secret, publicKey: Buffer.from(x, 'base64url') }
}

type Sessions = Readonly<Record<string, { token: string }>>

const sessionsFile = (env: Environment) => path.join(configFolder(env), 'sessions.json')

const sessionsIn = (env: Environment): Sessions => {
  const text = readIfThere(sessionsFile(env))
  try {
    return text === undefined ? {} : (JSON.parse(text) as Sessions)
  } catch {
    throw new Error(`${sessionsFile(env)} is damaged. Delete it, then run agent-tasks login`)
  }
}

/** The stored session token of a service. */
export const tokenFor = (env: Environment, url: string): string | undefined => sessionsIn(env)[url]?.token

/** Stores the session token of a service and replaces an earlier one. Returns the file. */
export const storeToken = (env: Environment, url: string, token: string): string => {
  const file = sessionsFile(env)
  writeSecret(file, `${JSON.stringify({ ...sessionsIn(env), [url]: { token } }, null, 2)}\n`)
  return file
}
