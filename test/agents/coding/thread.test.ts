import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { looking } from '../../fakes/hosted-run.ts'
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
})
