import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { AgentResult, EarlierTurns } from '../../../lib/ports/agent.ts'
import { startCodeHost, type TestCodeHost } from '../../fakes/code-host.ts'
import { call, edit, type Given, looking, runHosted, TOKEN } from '../../fakes/hosted-run.ts'
import { createWorkbench, type Workbench } from '../../fakes/workbench.ts'

let bench: Workbench
let host: TestCodeHost
beforeAll(async () => {
  bench = await createWorkbench()
  host = await startCodeHost(await mkdtemp(join(bench.folder, 'host-')), {
    tokens: { [TOKEN]: { scopes: 'repo', mayRead: true, mayPush: true } },
  })
})
afterAll(async () => {
  await host[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})
beforeEach(() => host.reset())

const NAME = 'task_1-1'
const write = (path: string, content: string) => call('write_file', { path, content })

/** A first turn, and those after it, each with what the one before has left. */
const openThread = () => {
  let number = 0
  let last: AgentResult | undefined
  const turn = async (given: Given = {}, more: Partial<EarlierTurns> = {}, attempt = 1) => {
    if (attempt === 1) number += 1
    const previous = { id: `task_${number - 1}`, title: 'Before', status: 'completed' }
    const continuation = last?.continuation && { continuation: JSON.parse(JSON.stringify(last.continuation)) }
    const earlier = { previous, since: [], ...continuation, ...more }
    const done = await runHosted(bench, host, {
      ...given,
      attempt,
      about: { id: `task_${number}`, threadId: 'task_1', prompt: `Turn ${number}`, ...given.about },
      ...(number > 1 && { context: { workspace: NAME, earlier } }),
    })
    last = done.result ?? last
    return done
  }
  return { turn, gone: () => rm(join(bench.dir, NAME), { recursive: true }) }
}

const asked = ({ models }: Awaited<ReturnType<typeof runHosted>>) => models.requests[0]?.messages ?? []
const lastAsked = (done: Awaited<ReturnType<typeof runHosted>>) => asked(done).at(-1)?.content ?? ''
const at = (path: string) => host.git('show', `agent/task_1:${path}`)

describe('a later turn', () => {
  it('goes on in the same workspace and HOME, on the same branch, and leaves its own diff beside that of all', async () => {
    const { turn } = openThread()
    const first = await turn({
      script: 'mkdir -p ../home && echo kept > ../home/note; echo built > ignored; echo ignored > .gitignore',
    })
    expect(first.published).toMatchObject({ status: 'published', branch: 'agent/task_1' })
    const second = await turn({ calls: [write('second.txt', 'two\n')], script: 'cat ../home/note ignored' })
    expect(second.error).toBeUndefined()
    expect(second.progress).toContain('Continuing in the workspace of the last turn')
    const { filesChanged, thread } = second.result as unknown as Record<
      string,
      Changes & Changes['filesChanged']
    >
    expect(paths(filesChanged)).toEqual(['second.txt'])
    expect(paths((thread as Changes | undefined)?.filesChanged)).toEqual([
      '.gitignore',
      'greeting.txt',
      'second.txt',
    ])
    expect(second.published).toMatchObject({
      status: 'published',
      branch: 'agent/task_1',
      pullRequest: { number: 1 },
    })
    expect(host.git('rev-list', '--count', 'main..agent/task_1')).toBe('2')
    expect([at('greeting.txt'), at('second.txt')]).toEqual(['hello\neverybody', 'two'])
  })

  it('begins with what was said before, and what is asked now', async () => {
    const { turn } = openThread()
    await turn({ output: 'I greet everybody.' })
    const second = await turn({ calls: [looking] })
    const messages = asked(second)
    expect(messages.filter(({ role }) => role === 'system')).toHaveLength(1)
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    expect(messages[1]?.content).toContain('Turn 1')
    expect(messages[4]?.content).toBe('I greet everybody.')
    expect(lastAsked(second)).toContain('Turn 2')
  })

  it('hears of turns that left nothing', async () => {
    const { turn } = openThread()
    await turn()
    const since = [{ id: 'task_x', title: 'X', prompt: 'Do X', status: 'cancelled' }]
    const contents = asked(await turn({ calls: [looking] }, { since })).map(({ content }) => content)
    expect(contents).toContain('Do X')
    expect(contents.some((content) => content.includes('cancelled'))).toBe(true)
  })

  it('begins from commits that others have pushed meanwhile, and overwrites none', async () => {
    const { turn } = openThread()
    await turn()
    const theirs = host.change('agent/task_1', 'theirs.txt', 'theirs\n')
    const second = await turn({
      calls: [call('read_file', { path: 'theirs.txt' }), write('second.txt', 'two\n')],
    })
    expect(second.error).toBeUndefined()
    expect(lastAsked(second)).toContain('Commits pushed to agent/task_1')
    expect(paths((second.result as unknown as Changes).filesChanged)).toEqual(['second.txt'])
    expect(host.git('rev-parse', 'agent/task_1^')).toBe(theirs)
    expect([at('theirs.txt'), at('second.txt'), at('greeting.txt')]).toEqual([
      'theirs',
      'two',
      'hello\neverybody',
    ])
  })

  it('is told of conflicts with them, and git is left without a merge or rebase', async () => {
    const { turn } = openThread()
    await turn({ isWanted: false, calls: [edit] })
    host.change('agent/task_1', 'greeting.txt', 'hello\nall of you\n', 'main')
    const second = await turn({
      calls: [call('read_file', { path: 'greeting.txt' })],
      script: 'test ! -e .git/MERGE_HEAD && test ! -e .git/rebase-merge',
    })
    expect(second.error).toBeUndefined()
    expect(lastAsked(second)).toContain('with conflicts in greeting.txt')
    const shown = second.models.requests[1]?.messages.at(-1)?.content ?? ''
    for (const part of ['<<<<<<<', 'everybody', 'all of you', '>>>>>>>']) expect(shown).toContain(part)
  })

  it('goes on from the pushed branch where the workspace is gone', async () => {
    const { turn, gone } = openThread()
    await turn()
    await gone()
    const second = await turn({ calls: [write('second.txt', 'two\n')] })
    expect(second.progress).toContain(
      'The workspace no longer exists, so this turn continues from the branch agent/task_1',
    )
    expect(paths((second.result as unknown as Changes).filesChanged)).toEqual(['second.txt'])
    expect(host.git('rev-list', '--count', 'main..agent/task_1')).toBe('2')
  })

  it('goes on from the stored diff where there is neither, also behind a base that has moved', async () => {
    const { turn, gone } = openThread()
    await turn({ isWanted: false })
    await gone()
    host.change('main', 'base.txt', 'base\n')
    const second = await turn({ calls: [write('second.txt', 'two\n')] })
    expect(second.progress).toContain(
      'The workspace no longer exists, so this turn continues from the stored diff',
    )
    expect(paths((second.result as unknown as Changes).filesChanged)).toEqual(['second.txt'])
    expect([at('greeting.txt'), at('second.txt')]).toEqual(['hello\neverybody', 'two'])
  })

  it('begins anew where nothing is left, and says so', async () => {
    const { turn, gone } = openThread()
    await turn({ isWanted: false })
    await gone()
    const second = await turn({ calls: [looking] }, { continuation: {} })
    expect(lastAsked(second)).toContain('The files of earlier turns are no longer stored')
  })

  it('is closed where changes are gone that cannot be brought back', async () => {
    const { turn, gone } = openThread()
    const first = await turn({ isWanted: false })
    const { files } = (first.result?.continuation ?? {}) as { files?: { patch?: string } }
    await gone()
    const { patch: _lost, ...rest } = files ?? {}
    const second = await turn({}, { continuation: { files: rest } })
    expect(second.error).toMatchObject({ code: 'thread_closed' })
  })

  it('of another attempt begins with the files of its beginning', async () => {
    const { turn } = openThread()
    await turn({ isWanted: false })
    await turn({ isWanted: false, calls: [write('half.txt', 'half\n')], script: 'rm greeting.txt' })
    const again = await turn({ isWanted: false, calls: [write('second.txt', 'two\n')] }, {}, 2)
    expect(again.progress).toContain('Continuing in the workspace of the last attempt')
    expect(paths((again.result as unknown as Changes).filesChanged)).toEqual(['second.txt'])
  })
})

type Changes = { filesChanged: readonly { path: string }[] }
const paths = (files: readonly { path: string }[] = []) => files.map(({ path }) => path)
