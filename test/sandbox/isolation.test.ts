import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, stat, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { openPrograms } from '../../lib/app/sandbox.ts'
import { readConfig } from '../../lib/config/config.ts'
import { temporaryFolder } from '../journeys/service.ts'

const isRoot = process.getuid?.() === 0
if (!isRoot) console.error('SKIPPED: only root can give programs users of their own')

const folder = temporaryFolder()
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
let withoutBubblewrap = ''

beforeAll(async () => {
  // Programs pass to the folders of the service's machine.
  await chmod(folder.path, 0o755)
  withoutBubblewrap = folder.in('bin')
  await mkdir(withoutBubblewrap)
  for (const place of (process.env.PATH ?? '').split(delimiter).filter(existsSync))
    for (const name of await readdir(place))
      if (name !== 'bwrap')
        await symlink(join(place, name), join(withoutBubblewrap, name)).catch(() => undefined)
  for (const name of ['data', 'memory', 'workspaces', 'data/workspaces']) await mkdir(folder.in(name))
})
afterAll(() => folder[Symbol.dispose]())

type Settings = Record<string, string>

const open = async (env: Settings, workspaces = 'workspaces') => {
  const config = readConfig({
    ...{ PATH: withoutBubblewrap, AGENT_UIDS: '60640-60649', MEMORY_DIR: folder.in('memory') },
    ...{ DATA_DIR: folder.in('data'), SESSION_SECRET: 'x'.repeat(40), ...env },
  })
  const needs = {
    config,
    clock: createClock(),
    log,
    workspacesDir: folder.in(workspaces),
    port: () => undefined,
  }
  return openPrograms(needs)
}

const CLOUD = { AUTH_MODE: 'cloud' }
const uid = 60_640

/** Whether a program of an agent, and one of the service, runs, and as which user. */
const tryBoth = async ({ commands }: Awaited<ReturnType<typeof open>>) => {
  const where = {
    cwd: '/',
    home: '/',
    writes: [],
    timeoutMs: 20_000,
    maxBytes: 100,
    signal: new AbortController().signal,
  }
  const answers = (['agent', 'service'] as const).map((by) =>
    commands.run({ file: 'id', args: ['-u'], by, ...where }).then(
      ({ stdout }) => Number(stdout),
      (thrown) => thrown.code,
    ),
  )
  return Promise.all(answers)
}

describe('programs where bubblewrap does not work, for a service of root', () => {
  const table: [string, Settings, string, unknown[], RegExp][] = [
    [
      'on request',
      { AGENT_SANDBOX: 'users', AGENT_NETWORK: 'on' },
      'healthy',
      [uid, uid],
      /separate users \(60640 to 60649\), with access to the whole network/,
    ],
    [
      'for many people',
      { ...CLOUD, AGENT_NETWORK: 'on' },
      'degraded',
      [uid, uid],
      /private addresses included \(bubblewrap: /,
    ],
    ['for one person', {}, 'degraded', [uid, uid], /whole network/],
  ]
  it.each(table)('run as users of their own %s', async (_title, env, status, ran, message) => {
    if (!isRoot) return
    const programs = await open(env)
    try {
      expect(programs).toMatchObject({
        isolation: 'users',
        health: { status, message: expect.stringMatching(message) },
      })
      expect(await tryBoth(programs)).toEqual(ran)
      expect([
        (await stat(folder.in('data'))).mode & 0o777,
        (await stat(folder.in('memory'))).mode & 0o777,
      ]).toEqual([0o700, 0o700])
    } finally {
      await programs.close()
    }
  })

  it.each([['off'], ['registry.npmjs.org']])(
    'are refused to many people with AGENT_NETWORK=%s, which users do not keep',
    async (AGENT_NETWORK) => {
      if (!isRoot) return
      const programs = await open({ ...CLOUD, AGENT_NETWORK })
      try {
        expect(programs.health).toMatchObject({
          status: 'degraded',
          message: expect.stringContaining('AGENT_NETWORK is not on'),
        })
        expect(await tryBoth(programs)).toEqual(['sandbox_missing', uid])
      } finally {
        await programs.close()
      }
    },
  )

  it.each<[string, Settings, string, RegExp]>([
    [
      'users and no network',
      { AGENT_SANDBOX: 'users' },
      'workspaces',
      /^AGENT_NETWORK: must be on with AGENT_SANDBOX=users/,
    ],
    [
      'users and a list of hosts',
      { AGENT_SANDBOX: 'users', AGENT_NETWORK: 'a.test' },
      'workspaces',
      /^AGENT_NETWORK: /,
    ],
    [
      'users in the folder of the data',
      { AGENT_SANDBOX: 'users', AGENT_NETWORK: 'on' },
      'data/workspaces',
      /WORKSPACES_DIR is inside DATA_DIR/,
    ],
    [
      'a sandbox',
      { AGENT_SANDBOX: 'require', AGENT_NETWORK: 'on' },
      'workspaces',
      /^AGENT_SANDBOX: require, but no sandbox is available \(bubblewrap: /,
    ],
  ])('are not started where the settings require %s', async (_title, env, workspaces, why) => {
    if (!isRoot) return
    await expect(open(env, workspaces)).rejects.toThrow(why)
  })

  it('are refused to many people where users do not work either, and both reasons are told', async () => {
    if (!isRoot) return
    const programs = await open({ ...CLOUD, AGENT_NETWORK: 'on' }, 'data/workspaces')
    expect(programs).toMatchObject({
      isolation: 'none',
      health: { message: expect.stringMatching(/bubblewrap: .*; users: WORKSPACES_DIR is inside DATA_DIR/) },
    })
    expect(await tryBoth(programs)).toEqual(['sandbox_missing', 0])
  })
})

describe('AGENT_UIDS', () => {
  it.each<[string, object]>([
    ['60578-61183', { first: 60_578, last: 61_183 }],
    [' 100000 - 165530 ', { first: 100_000, last: 165_530 }],
    ['', { first: 60_578, last: 61_183 }],
  ])('reads %j', (given, range) => expect(readConfig({ AGENT_UIDS: given }).AGENT_UIDS).toEqual(range))

  it.each([
    ['1000', /two numbers/],
    ['a-b', /two numbers/],
    ['-1000-2000', /two numbers/],
    ['1e3-2000', /two numbers/],
    ['0-2000', /between 1000/],
    ['999-2000', /between 1000/],
    ['5000-5000', /at least 2 users/],
    ['6000-5000', /at least 2 users/],
    ['60000-70000', /65534/],
    ['65535-70000', /65534/],
    ['70000-4294967294', /must be between/],
  ])('refuses %j, and says what it must be', (given, why) => {
    expect(() => readConfig({ AGENT_UIDS: given })).toThrow(why)
  })
})
