import { existsSync, globSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { parse, parseAllDocuments } from 'yaml'
import { main } from '../../lib/cli/main.ts'
import { readConfig, settingNames } from '../../lib/config/config.ts'
import type { RunnerSettings } from '../../lib/runners/schema.ts'
import { type Manifest, manifestFaults } from './kubernetes-schema.ts'
import { root } from './serverless.ts'

const text = (name: string) => readFileSync(path.join(root, name), 'utf8')
const TOKEN = '0123456789abcdef'.repeat(4)
/** What only the program of a runner reads, beside the settings. */
const RUNNER_VARIABLES = ['URL', 'NAME', 'LABELS', 'CONCURRENCY', 'DIR', 'STATUS_PORT'].map((name) =>
  name === 'URL' ? 'AGENT_TASKS_URL' : `RUNNER_${name}`,
)
/** What the isolation `users` needs (docs/operate/sandbox.md). */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID']

type Values = Record<string, string>
type Program = { args: readonly string[]; env: Values; isRunner: boolean; health: string[] }

/** Starts a runner with this command line, but for the runner: what it would be told. */
const runnerSettings = async ({ args, env }: Program): Promise<RunnerSettings> => {
  const told: RunnerSettings[] = []
  let complaints = ''
  const stream = { write: (part: string) => (complaints += part), isTTY: false }
  const code = await main({
    args: [...args],
    env,
    streams: { stdin: process.stdin, stdout: stream, stderr: stream } as never,
    startRunner: async (settings) => told.push(settings) && 0,
  })
  expect([complaints, code]).toEqual(['', 0])
  return told[0] as RunnerSettings
}

/** The last stages of the Dockerfile by their names: their variables and their command. */
const image = (stage: 'service' | 'runner') => {
  const stages = text('functions/agentic/Dockerfile').split(/^FROM /m)
  const own = stages.find((part) => part.split('\n')[0]?.endsWith(` AS ${stage}`)) ?? ''
  const below = stage === 'runner' ? stages.find((part) => part.split('\n')[0]?.endsWith(' AS service')) : ''
  const pairs = `${below}${own}`.matchAll(/^ENV (.+)$/gm)
  const env = [...pairs].flatMap(([, line = '']) => line.split(' ').map((pair) => pair.split('=')))
  const command = JSON.parse(/^CMD (.+)$/m.exec(own)?.[1] ?? '[]') as string[]
  return { env: Object.fromEntries(env) as Values, command }
}

const withoutNode = (command: readonly string[]) => {
  expect(command[0]).toBe('node')
  const file = command.findIndex((word) => word.startsWith('bin/'))
  expect(existsSync(path.join(root, command[file] ?? ''))).toBe(true)
  return command.slice(file + 1)
}

/** Only these belong to others: Node, and the adapter of Lambda. */
const FOREIGN = new Set(['NODE_ENV', 'AWS_LWA_READINESS_CHECK_PROTOCOL'])

const expectStarts = async (program: Program) => {
  const names = Object.keys(program.env).filter((name) => !FOREIGN.has(name))
  const known = [...settingNames, ...(program.isRunner ? [...RUNNER_VARIABLES, 'INDEX'] : [])]
  expect(names.filter((name) => !known.includes(name))).toEqual([])
  const config = readConfig(program.env)
  expect(config.RUNNER_TOKEN).toBe(TOKEN)
  const health = program.health.at(-1) ?? ''
  if (!program.isRunner) {
    expect(config).toMatchObject({ AUTH_MODE: 'cloud', WORKER: 'off', DATA_DIR: '/data', HOST: '0.0.0.0' })
    expect(config.MEMORY_DIR.startsWith('/data/')).toBe(true)
    return
  }
  expect(config).toMatchObject({ AGENT_SANDBOX: 'users', AGENT_NETWORK: 'on' })
  const settings = await runnerSettings(program)
  expect(settings).toMatchObject({ token: TOKEN, url: 'http://service:3000', folder: '/runner' })
  expect(config.WORKSPACES_DIR).toBe('/workspaces')
  expect(health).toContain(`http://127.0.0.1:${settings.statusPort}/healthz`)
}

describe('compose.yaml', () => {
  type Service = {
    build: { context: string; dockerfile: string; target?: 'runner' }
    environment: Values
    volumes: string[]
    ports?: string[]
    cap_drop: string[]
    cap_add?: string[]
    healthcheck: { test: string[] }
  }
  const file = parse(text('compose.yaml'), { merge: true }) as {
    services: Record<'service' | 'runner', Service>
    volumes: object
  }
  const given = (value: string) =>
    value.replaceAll(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_all, name, otherwise = '') =>
      name === 'RUNNER_TOKEN' ? TOKEN : otherwise,
    )

  it.each(['service', 'runner'] as const)('starts the %s with variables that it has', async (name) => {
    const { build, environment, healthcheck } = file.services[name]
    const isRunner = name === 'runner'
    expect(build.target).toBe(isRunner ? 'runner' : undefined)
    expect(existsSync(path.join(root, build.context, build.dockerfile))).toBe(true)
    const { env, command } = image(name)
    const all = { ...env, ...environment }
    const values = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, given(value)]))
    await expectStarts({ args: withoutNode(command), env: values, isRunner, health: healthcheck.test })
  })

  it('has no token of its own, and does not start without one', () => {
    expect(text('compose.yaml')).toMatch(/RUNNER_TOKEN: \$\{RUNNER_TOKEN:\?[^}]+\}/)
    expect(Object.values(file.services).flatMap(({ ports = [] }) => ports)).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:/),
    ])
  })

  it('gives no container more than it needs', () => {
    for (const service of Object.values(file.services)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      const mounts = service.volumes.map((volume) => volume.split(':')[0] ?? '')
      expect(mounts.filter((name) => !(name in file.volumes))).toEqual([])
    }
    const { service, runner } = file.services
    expect([service.cap_add, runner.cap_add]).toEqual([undefined, CAPABILITIES])
  })
})

type Container = {
  image: string
  args?: string[]
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef?: { key: string } } }[]
  securityContext: { capabilities: { drop: string[]; add?: string[] } }
  volumeMounts: { name: string }[]
  readinessProbe?: { exec?: { command: string[] } }
}
type Pod = { containers: Container[]; initContainers?: Container[]; volumes: { name: string }[] }

const FOLDER = 'deploy/kubernetes'
const manifests = globSync(`${FOLDER}/*.yaml`, { cwd: root })
  .sort()
  .filter((name) => !name.endsWith('kustomization.yaml'))
  .flatMap((name) => parseAllDocuments(text(name)).map((one) => one.toJS() as Manifest))
/** The pods of a manifest, however deep their template lies. */
const pods = (data: unknown): Pod[] =>
  typeof data !== 'object' || data === null
    ? []
    : 'containers' in data
      ? [data as Pod]
      : Object.values(data).flatMap(pods)
const named = manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const)

describe('the manifests of Kubernetes', () => {
  it.each(named)('have the fields of their kind: %s', async (_name, manifest) => {
    expect(await manifestFaults(manifest)).toEqual([])
  })

  it('are held to them', async () => {
    const service = manifests.find(({ kind }) => kind === 'Service') as Manifest
    const wrong = { ...service, spec: { ports: [{ port: 'many' }], selektor: {} } }
    expect(await manifestFaults(wrong)).toEqual([
      expect.stringContaining('spec/ports/0/port must be'),
      '/spec/selektor is no field',
    ])
  })

  it('are listed, and so are the images', () => {
    const list = parse(text(`${FOLDER}/kustomization.yaml`)) as {
      resources: string[]
      images: { name: string }[]
    }
    for (const name of list.resources) expect(existsSync(path.join(root, FOLDER, name))).toBe(true)
    const images = manifests
      .flatMap(pods)
      .flatMap(({ containers, initContainers = [] }) => [
        ...containers.map(({ image }) => image),
        ...initContainers.map(({ image }) => image),
      ])
    expect([...new Set(images)].sort()).toEqual(list.images.map(({ name }) => name).sort())
  })

  const started = named.filter(([, manifest]) => pods(manifest).length > 0)
  const containers = (manifest: Manifest) => pods(manifest).flatMap((pod) => pod.containers)

  it.each(started)('give no container more than it needs: %s', (_name, manifest) => {
    const claims = manifest.kind === 'StatefulSet' ? ['runner'] : []
    for (const { containers, initContainers = [], volumes } of pods(manifest)) {
      const places = [...volumes.map(({ name }) => name), ...claims]
      for (const { image, securityContext, volumeMounts } of [...containers, ...initContainers]) {
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect([undefined, image === 'agent-task-runner' && CAPABILITIES]).toContainEqual(
          securityContext.capabilities.add,
        )
        expect(volumeMounts.filter(({ name }) => !places.includes(name))).toEqual([])
      }
    }
  })

  it.each(started)('start programs with variables that they have: %s', async (_name, manifest) => {
    for (const { image: name, args, env = [], readinessProbe } of containers(manifest)) {
      const isRunner = name === 'agent-task-runner'
      const { env: own, command } = image(isRunner ? 'runner' : 'service')
      const values = { ...own, ...Object.fromEntries(env.map((one) => [one.name, valueIn(one)])) }
      const health = readinessProbe?.exec?.command ?? []
      await expectStarts({ args: withoutNode(args ?? command), env: values, isRunner, health })
    }
  })

  const valueIn = ({ value, valueFrom }: NonNullable<Container['env']>[number]) =>
    value ??
    (valueFrom?.secretKeyRef?.key === 'RUNNER_TOKEN'
      ? TOKEN
      : valueFrom?.secretKeyRef
        ? 'sk-secret-key'
        : '7')
})

describe('the unit of systemd', () => {
  const unit = text('deploy/systemd/agent-tasks-runner.service')
  const values = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

  it('starts a runner that keeps its folder', async () => {
    const [start = ''] = values('ExecStart')
    const folder = values('WorkingDirectory')[0] ?? ''
    const [program = '', ...args] = start.split(' ')
    expect(existsSync(path.join(root, path.relative(folder, program)))).toBe(true)
    const env = Object.fromEntries((values('Environment')[0] ?? '').split(' ').map((pair) => pair.split('=')))
    const config = readConfig({ ...env, RUNNER_TOKEN: TOKEN })
    expect(config.AGENT_SANDBOX).toBe('require')
    const { folder: kept } = await runnerSettings({
      args: withoutNode(['node', ...args]),
      env: { ...env, RUNNER_TOKEN: TOKEN, AGENT_TASKS_URL: 'http://127.0.0.1:3000' },
      isRunner: true,
      health: [],
    })
    expect(kept).toBe(`/var/lib/${values('StateDirectory')[0]}`)
  })

  it.each([
    'RestrictNamespaces',
    'ProtectKernelTunables',
    'ProtectKernelLogs',
    'ProtectControlGroups',
    'ProtectProc',
    'ProcSubset',
    'SystemCallFilter',
    'MemoryDenyWriteExecute',
  ])('sets no %s, with which bubblewrap, a control group or a program of an agent may not work', (name) => {
    expect(values(name)).toEqual([])
  })
})
