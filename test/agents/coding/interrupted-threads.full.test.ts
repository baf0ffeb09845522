import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { call, edit, looking } from '../../fakes/hosted-run.ts'
import { asked, type Changes, lastAsked, openThreads, paths, type Threads, write } from './threads.ts'

let threads: Threads
let host: Threads['host']
let at: Threads['at']
const openThread = () => threads.openThread()
beforeAll(async () => {
  threads = await openThreads()
  ;({ host, at } = threads)
})
afterAll(() => threads[Symbol.asyncDispose]())
beforeEach(() => host.reset())

describe('a later turn of a thread that something came between', () => {
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
