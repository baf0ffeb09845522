import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import type { Template } from './template.ts'

export const root = path.join(import.meta.dirname, '../..')

/** An image that was pushed before: nothing is built, and nobody is asked what its tag means. */
const IMAGE = `123456789012.dkr.ecr.us-east-1.amazonaws.com/agent-task-service@sha256:${'0'.repeat(64)}`
const LINKED = ['functions', 'lib', 'node_modules', 'offline', 'resources']
const COPIED = ['package.json', 'serverless.yml']

/**
 * Runs the framework without an AWS account or a network, in a folder of its own, since it writes beside its
 * configuration. Answers that folder, and what it printed.
 */
const serverless = (args: readonly string[]): { folder: string; stdout: string } => {
  const folder = mkdtempSync(path.join(tmpdir(), 'deploy-'))
  for (const name of LINKED) symlinkSync(path.join(root, name), path.join(folder, name))
  for (const name of COPIED) copyFileSync(path.join(root, name), path.join(folder, name))
  const program = path.join(root, 'node_modules/serverless/bin/serverless.js')
  const all = [program, ...args, '--param', 'image=given', '--param', `imageUri=${IMAGE}`]
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { cwd: folder, env, encoding: 'utf8' })
  if (status === 0) return { folder, stdout }
  rmSync(folder, { recursive: true })
  throw new Error(`serverless ${args.join(' ')} failed:\n${stdout}${stderr}`)
}

/** What `serverless package` makes of a stage; `remove` deletes it. */
export const packageStage = (stage: string) => {
  const { folder } = serverless(['package', '--package', 'out', '--stage', stage])
  const file = (name: string) => path.join(folder, 'out', name)
  return {
    template: JSON.parse(readFileSync(file('cloudformation-template-update-stack.json'), 'utf8')) as Template,
    zip: (name: string): Buffer => readFileSync(file(`${name}.zip`)),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

type Sqs = { arn: { 'Fn::GetAtt': [queue: string, 'Arn'] }; batchSize: number }
type FunctionEvent = { httpApi?: string; sqs?: Sqs; schedule?: string }
export type FunctionConfig = {
  handler?: string
  image?: { name: string; command: string[] }
  role: string
  timeout?: number
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

export const printStage = (stage: string): Service => {
  const { folder, stdout } = serverless(['print', '--format', 'json', '--stage', stage])
  rmSync(folder, { recursive: true })
  return JSON.parse(stdout) as Service
}
