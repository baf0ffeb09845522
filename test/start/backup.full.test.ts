import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { walk } from '../crash/audit.ts'
import { produceDuring } from '../crash/producer.ts'
import { taskApi } from '../journeys/api.ts'
import { scriptedWorld } from '../journeys/scripted.ts'
import { type Environment, root, serviceNode, startService, temporaryFolder } from '../journeys/service.ts'

const page = readFileSync(path.join(root, 'docs/operate/backup.md'), 'utf8')
/** What runs on AWS alone is no part of this; exports and imports are tested where the command is (test/cli/import). */
const documentedCommands = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
  /^(?:aws|npx agent-tasks) /.test(block) ? [] : block.trim().split('\n'),
)

const shellEnvironment = (env: Environment) => ({ PATH: process.env.PATH, HOME: process.env.HOME, ...env })
const run = (command: string, env: Environment) =>
  spawnSync('sh', ['-c', command], { cwd: root, env: shellEnvironment(env), encoding: 'utf8' })
const backUp = (target: string, env: Environment) => run(`npm run -s backup -- ${target}`, env)

describe('a backup', () => {
  it('of a service at work, as docs/operate/backup.md has it, restores to every task that was there', async () => {
    using folder = temporaryFolder()
    using world = scriptedWorld()
    const [backup = '', copy = '', start = '', ...more] = documentedCommands.map((command) =>
      command.replaceAll(/\.\/(?=backups|restored)/g, `${folder.path}/`),
    )
    expect(more).toEqual([])
    await using service = await startService(world)
    const identity = async (url: string) => (await fetch(`${url}/api/devices/identity`)).json()
    const whose = await identity(service.baseUrl)
    const before: string[] = []
    // In a child process that is waited for: the producers write meanwhile.
    const during = async () => {
      for (const n of [1, 2, 3])
        before.push((await taskApi(service.baseUrl).create({ title: `before ${n}` })).id)
      const child = spawn('sh', ['-c', backup], {
        cwd: root,
        env: shellEnvironment(world.env),
        stdio: 'pipe',
      })
      const said = child.stdout.setEncoding('utf8').toArray()
      expect(await once(child, 'exit')).toEqual([0, null])
      expect((await said).join('')).toMatch(/: \d+\.\d MB, checked\.\nIt contains encryption\.key/)
    }
    const { acknowledged } = await produceDuring(during, {
      names: ['a', 'b', 'c'],
      keyed: () => false,
      seed: 1,
      address: () => service.baseUrl,
    })
    expect(acknowledged.length).toBeGreaterThan(0)
    await service.kill9()

    expect(run(copy, {})).toMatchObject({ status: 0 })
    const [, restored = ''] = /^DATA_DIR=(\S+) npm start$/.exec(start) ?? []
    expect(readdirSync(restored).sort()).toEqual(['encryption.key', 'service.db'])
    for (const name of ['encryption.key', 'service.db'])
      expect(statSync(path.join(folder.path, 'backups', 'monday', name)).mode & 0o777).toBe(0o600)
    await using again = await startService({ env: { ...world.env, DATA_DIR: restored } })
    const api = taskApi(again.baseUrl)
    await api.untilIdle()
    const tasks = await walk(api)
    const ids = tasks.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(before))
    expect(tasks.every(({ status }) => status === 'completed')).toBe(true)
    expect(await identity(again.baseUrl)).toEqual(whose)
    expect(await again.stop()).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.not.stringContaining('"warn"'),
    })
  })

  it('that is killed leaves nothing under its name, which is free for the next', async () => {
    using folder = temporaryFolder()
    await using service = await startService({ env: { DATA_DIR: folder.in('data') } })
    await service.stop()
    // As much as takes some time to copy.
    const db = new DatabaseSync(folder.in('data', 'service.db'))
    db.exec(`CREATE TABLE filler (bytes); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO filler SELECT randomblob(1000000) FROM n`)
    db.close()
    const env = { DATA_DIR: folder.in('data') }
    const copiedFiles = () => (existsSync(folder.in('to')) ? readdirSync(folder.in('to')) : [])
    const killed = async () => {
      const args = ['bin/backup.ts', folder.in('to', 'monday')]
      const child = spawn(serviceNode, args, { cwd: root, env: shellEnvironment(env) })
      while (child.exitCode === null && copiedFiles().length === 0) await nextTurn()
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    // One that was done before the kill says nothing.
    for (let tries = 0; tries < 20 && (tries === 0 || copiedFiles().includes('monday')); tries += 1) {
      rmSync(folder.in('to'), { recursive: true, force: true })
      await killed()
    }
    expect(readdirSync(folder.in('to'))).toEqual([expect.stringMatching(/^monday\.unfinished-/)])
    expect(backUp(folder.in('to', 'monday'), env)).toMatchObject({ status: 0 })
    expect(readdirSync(folder.in('to', 'monday'))).toEqual(['service.db'])
  })

  it('is refused in one line where it cannot be one', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.in('data') }
    await using service = await startService({ env })
    await service.kill9()
    const lost = folder.in('lost')
    mkdirSync(lost)
    writeFileSync(path.join(lost, 'service.db'), readFileSync(folder.in('data', 'service.db')))
    writeFileSync(folder.in('file'), '')
    mkdirSync(folder.in('there'))
    const refusals: [target: string, env: Environment, why: RegExp][] = [
      ['', env, /a folder is missing: npm run backup -- /],
      [folder.in('there'), env, /there already exists\. Choose a new name/],
      [folder.in('file'), env, /file already exists/],
      [folder.in('file', 'below'), env, /below cannot be written/],
      [
        folder.in('to'),
        { DATA_DIR: folder.in('nothing') },
        /there is no service\.db in .*nothing\. Set DATA_DIR/,
      ],
      [
        folder.in('to'),
        { DATA_DIR: lost },
        /was not closed, and its write-ahead log service\.db-wal is missing/,
      ],
      [folder.in('to'), { SERVICE_MODE: 'pico' }, /SERVICE_MODE: pico has no data file/],
    ]
    for (const [target, given, why] of refusals) {
      const { status, stdout, stderr } = backUp(target, given)
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toMatch(/^Cannot back up: [^\n]+\n$/)
      expect(stderr).toMatch(why)
    }
    expect(readdirSync(folder.path).sort()).toEqual(['data', 'file', 'lost', 'there'])
  })
})
