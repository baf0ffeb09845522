import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { groupCommit } from '../../../lib/adapters/sqlite/batch.ts'
import { createHot } from '../../../lib/adapters/sqlite/hot.ts'
import { createDraft, type Script } from '../../../lib/adapters/sqlite/script.ts'

/** A group commit whose writer answers when it is told to. */
const openGroup = () => {
  const draft = createDraft()
  const asked: { script: Script; done: () => void; fail: (reason: unknown) => void }[] = []
  const writer = {
    run: (script: Script) =>
      new Promise<void>((done, fail) => {
        asked.push({ script, done, fail })
      }),
    close: async () => undefined,
  }
  const heard: boolean[] = []
  const group = groupCommit({
    writer,
    draft,
    hot: createHot(),
    beforeSeal: [],
    onDurable: [() => heard.push(group.isWriting)],
    onVoid: [],
  })
  const add = draft.statement('INSERT')
  const outcomes: Promise<'kept' | 'void'>[] = []
  const decideOne = () => {
    draft.add(add, [outcomes.length])
    return 1
  }
  const decide = async (count: number) => {
    for (let n = 0; n < count; n += 1)
      outcomes.push(
        group.decide(decideOne).durable.then(
          () => 'kept',
          () => 'void',
        ),
      )
    await nextTurn()
    await nextTurn()
  }
  return { group, asked, decide, heard, outcomes: () => Promise.all(outcomes) }
}

/** How many changes are in each script that the writer was given. */
const sizes = (asked: readonly { script: Script }[]) => asked.map(({ script }) => script.steps.length / 3)

describe('while the writer is at a script', () => {
  it('few changes wait for it to be free, and go together then', async () => {
    const { asked, decide, outcomes } = openGroup()
    await decide(1)
    await decide(8)
    await decide(7)
    expect(sizes(asked)).toEqual([1])
    asked[0]?.done()
    await decide(0)
    expect(sizes(asked)).toEqual([1, 15])
    asked[1]?.done()
    expect(new Set(await outcomes())).toEqual(new Set(['kept']))
  })

  it('the file may change, until whoever keeps what it says has heard that it did', async () => {
    const { group, asked, decide, heard } = openGroup()
    expect(group.isWriting).toBe(false)
    await decide(1)
    expect(group.isWriting).toBe(true)
    asked[0]?.done()
    await decide(0)
    expect([heard, group.isWriting]).toEqual([[true], false])
    await decide(1)
    asked[1]?.fail(new Error('the disk is full'))
    await decide(0)
    expect([heard, group.isWriting]).toEqual([[true], false])
  })

  it('many changes are put ready as one script, and more of them wait', async () => {
    const { group, asked, decide, outcomes } = openGroup()
    await decide(1)
    await decide(16)
    await decide(40)
    expect(sizes(asked)).toEqual([1, 16])
    asked[0]?.done()
    await decide(0)
    expect(sizes(asked)).toEqual([1, 16, 40])
    for (const { done } of asked) done()
    await group.drained()
    expect(new Set(await outcomes())).toEqual(new Set(['kept']))
  })

  it('and fails, what lies ready is of the era that is over, and what comes later is not', async () => {
    const { asked, decide, outcomes } = openGroup()
    await decide(1)
    await decide(16)
    await decide(3)
    asked[0]?.fail(new Error('the disk is full'))
    await decide(0)
    await decide(1)
    asked[1]?.fail(new Error('the disk is full'))
    await decide(0)
    expect(asked.map(({ script }) => script.era)).toEqual([0, 0, 1])
    asked[2]?.done()
    expect(await outcomes()).toEqual([...Array(20).fill('void'), 'kept'])
  })
})
