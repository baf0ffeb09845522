import { describe, expect, it } from '@jest/globals'
import { createLeftToRunners } from '../../lib/app/cloud-task-queue.ts'
import { readConfig } from '../../lib/config/config.ts'
import { createFakeLog } from '../fakes/log.ts'

const MOODY = 'test/fixtures/agents/moody.ts'
const TASKS = {
  'the coding agent': { agent: 'coding-agent' },
  'a module': { agent: 'moody' },
  'a program': { agent: 'claude-code' },
  'an agent that only runners have': { agent: 'on-a-runner' },
  labels: { agent: 'coding-agent', runsOn: ['gpu'] },
  'no labels': { agent: 'coding-agent', runsOn: [] },
  'an earlier release': {},
}
const PROGRAMS = ['a program', 'an agent that only runners have', 'labels']

describe('what a stack leaves to runners', () => {
  it.each<[string, Record<string, string>, string[]]>([
    ['nothing by default', {}, []],
    ['programs and tasks with labels where runners are on', { RUNNERS: 'on' }, PROGRAMS],
    ['everything where it runs nothing itself', { RUNNERS: 'on', WORKER: 'off' }, Object.keys(TASKS)],
    // The worker says of each task that its agents cannot be loaded.
    [
      'known programs where its own agents cannot be loaded',
      { RUNNERS: 'on', AGENT_ADAPTERS: './none.js' },
      ['a program', 'labels'],
    ],
  ])('is %s', async (_what, env, left) => {
    const config = readConfig({ SERVICE_MODE: 'pro', AGENT_ADAPTERS: MOODY, ...env })
    const isLeft = await createLeftToRunners(config, createFakeLog())()
    const named = Object.entries(TASKS).filter(([, asked]) => isLeft(asked))
    expect(named.map(([name]) => name)).toEqual(left)
  })
})
