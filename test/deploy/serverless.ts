import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { compiled } from '../fakes/compiled.ts'
import type { Template } from './template.ts'

export const root = path.join(import.meta.dirname, '../..')

/** An image that was pushed before: nothing is built, and nobody is asked what its tag means. */
const IMAGE = `123456789012.dkr.ecr.us-east-1.amazonaws.com/agent-task-service@sha256:${'0'.repeat(64)}`
/** It has been seen to hang. On a slow machine with other work, `package` has taken more than two minutes. */
const MOST_MS = 300_000
const LINKED = ['functions', 'lib', 'node_modules', 'offline', 'resources']
const COPIED = ['agents', 'package.json', 'serverless.yml']

type Change = (folder: string) => void

/**
 * A folder to run the framework in, since it writes beside its configuration, and in which whoever deploys may `change`
 * something.
 */
export const deployFolder = (change: Change = () => undefined): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'deploy-'))
  for (const name of LINKED) symlinkSync(path.join(root, name), path.join(folder, name))
  for (const name of COPIED) cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  change(folder)
  return folder
}

const PROGRAM = path.join(root, 'node_modules/serverless/bin/serverless.js')

const spawnPlain = (folder: string, program: string, args: readonly string[]) => {
  const env = { PATH: process.env.PATH, HOME: folder, ...compiled }
  return spawnSync(program, args, { cwd: folder, env, encoding: 'utf8', timeout: MOST_MS })
}

/** Runs `npx serverless` as a user would, who has set nothing. */
export const npxServerless = (folder: string, ...args: readonly string[]) =>
  spawnPlain(folder, 'npx', ['serverless', ...args])

/** As `npxServerless`, without npx, which has the program found and takes as long as it. */
export const plainServerless = (folder: string, ...args: readonly string[]) =>
  spawnPlain(folder, process.execPath, [PROGRAM, ...args])

/** Runs the framework without an AWS account or a network. Answers the folder that it ran in, and what it printed. */
const serverless = (args: readonly string[], change?: Change): { folder: string; stdout: string } => {
  const folder = deployFolder(change)
  const all = [PROGRAM, ...args, '--param', 'image=given', '--param', `imageUri=${IMAGE}`]
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
    ...compiled,
  }
  const timeout = MOST_MS
  const ran = spawnSync(process.execPath, all, { cwd: folder, env, encoding: 'utf8', timeout })
  const { status, stdout, stderr, error } = ran
  if (status === 0) return { folder, stdout }
  rmSync(folder, { recursive: true })
  throw new Error(`serverless ${args.join(' ')} failed: ${error?.message ?? status}\n${stdout}${stderr}`)
}

type Deploying = { change?: Change; params?: Readonly<Record<string, string>> }

/** What `serverless package` makes of a stage; `remove` deletes it. */
export const packageStage = (stage: string, { change, params = {} }: Deploying = {}) => {
  const given = Object.entries(params).flatMap(([name, value]) => ['--param', `${name}=${value}`])
  const { folder } = serverless(['package', '--package', 'out', '--stage', stage, ...given], change)
  const file = (name: string) => path.join(folder, 'out', name)
  return {
    template: JSON.parse(readFileSync(file('cloudformation-template-update-stack.json'), 'utf8')) as Template,
    zip: (name: string): Buffer => readFileSync(file(`${name}.zip`)),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

type Sqs = { arn: { 'Fn::GetAtt': [queue: string, 'Arn'] }; batchSize: number }
type Stream = { arn: object; destinations: object }
type FunctionEvent = { httpApi?: string; sqs?: Sqs; stream?: Stream; schedule?: string }
export type FunctionConfig = {
  handler?: string
  image?: { name: string; command: string[] }
  role: string
  timeout?: number
  ephemeralStorageSize?: number
  environment?: Record<string, unknown>
  events?: FunctionEvent[]
  url?: object
}
/** serverless.yml and resources/ with every variable filled in. */
export type Service = {
  provider: { environment: Record<string, unknown>; timeout: number }
  functions: Readonly<Record<string, FunctionConfig>>
  resources: Template
}

const print = (stage: string): string => {
  const { folder, stdout } = serverless(['print', '--format', 'json', '--stage', stage])
  rmSync(folder, { recursive: true })
  return stdout
}

/** Of the files that a stage is printed from. */
const digest = (): string => {
  const hash = createHash('sha256')
  const files = globSync('{serverless.yml,package.json,resources/**/*.*,functions/*.ts,lib/**/*.ts}', {
    cwd: root,
  }).toSorted()
  for (const file of files) hash.update(file).update(readFileSync(path.join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Beside the bundles, where those are kept (offline/plugin.js). */
const KEPT = process.env.BUNDLES_KEPT ?? path.join(root, 'node_modules/.cache/bundles')

/** A stage that was printed before, from the same files, is not printed again. */
const printOnce = (stage: string): string => {
  const file = `${KEPT}-${stage}-${digest()}.json`
  if (existsSync(file)) return readFileSync(file, 'utf8')
  const printed = print(stage)
  const whole = `${file}-${process.pid}`
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(whole, printed)
  renameSync(whole, file)
  return printed
}

export const printStage = (stage: string): Service => JSON.parse(printOnce(stage)) as Service
