import { expect, it } from '@jest/globals'
import { until } from '../fakes/until.ts'
import { connect } from '../journeys/client.ts'
import { moodyTask, moodyWorld } from '../journeys/moody.ts'
import { launchService, type Service, startService, temporaryFolder } from '../journeys/service.ts'
import { isRunning, processTree } from './processes.ts'
import { describeOffline } from './suite.ts'

const AGENTS = ['coding-agent', 'claude-code', 'codex', 'opencode', 'moody']

const command = ['npx', 'serverless', 'offline'] as const

const gone = (pids: readonly number[]) => until(() => !pids.some(isRunning))

const get = async ({ baseUrl }: Service, path: string, accept = '*/*') => {
  const answer = await fetch(`${baseUrl}${path}`, { headers: { accept } })
  return { status: answer.status, text: await answer.text() }
}

describeOffline('npx serverless offline', () => {
  it('is the whole stack: functions, queues, pollers, agents, streams and the page; a signal ends all of it', async () => {
    using world = moodyWorld()
    await using service = await startService({ env: world.env, command })
    const { client, perform } = connect(service.baseUrl)
    expect((await client.listAgentTypes()).types).toEqual(AGENTS)
    expect(await perform(moodyTask('mine'))).toMatchObject({ agent: 'moody', status: 'completed' })
    expect(await get(service, '/api/queue/status')).toMatchObject({
      text: expect.stringContaining('"mode":"sqs"'),
    })
    expect(await get(service, '/api/tasks/export')).toMatchObject({ text: expect.stringContaining('"mine"') })
    expect(await get(service, '/', 'text/html')).toMatchObject({
      text: expect.stringContaining('<!doctype html>'),
    })
    const family = processTree(service.pid)
    service.kill('SIGTERM')
    await gone(family)
    expect(service.output()).not.toMatch(/not stop cleanly|Error/)
  })

  it('leaves no process behind when the one that is the stack is killed', async () => {
    using folder = temporaryFolder()
    await using service = await startService({ env: { DATA_DIR: folder.in('data') }, command })
    const family = processTree(service.pid)
    // npx, its shell, and what that runs.
    const [, , stack = 0, ...children] = family
    expect(children.length).toBeGreaterThan(1)
    process.kill(stack, 'SIGKILL')
    await gone(family)
  })

  it.each([
    ['an option of serverless-offline', ['--httpPort', '4000'], {}, /^Cannot start: .*--httpPort.*PORT/],
    ['a setting that is wrong', [], { PORT: 'x' }, /^Cannot start: PORT/],
  ])('refuses %s in one line', async (_what, options, env, why) => {
    await using service = launchService({ env, command: [...command, ...options] })
    const { code, stdout, stderr } = await service.exited
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    // npm may have something of its own to say.
    const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('npm '))
    expect(lines).toEqual([expect.stringMatching(why)])
  })
})
