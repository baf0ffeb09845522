import { describe, expect, it } from '@jest/globals'
import { createSlots } from '../../lib/worker/slots.ts'

const settled = async (promise: Promise<void> | undefined): Promise<boolean> => {
  let isOver = promise === undefined
  promise?.then(() => {
    isOver = true
  })
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
  return isOver
}

describe('the slots of runs', () => {
  it('are free while their runs wait, at most as many as there are', async () => {
    const slots = createSlots(1)
    expect(slots.acquire()).toBeUndefined()
    const first = slots.open()
    first.giveUp()
    expect(slots.acquire()).toBeUndefined()
    const second = slots.open()
    second.giveUp()
    const third = slots.acquire()
    expect(await settled(third)).toBe(false)
    // The first comes back after the third, which asked before.
    const back = first.take()
    second.end()
    expect([await settled(third), await settled(back)]).toEqual([true, false])
    slots.open().end()
    expect(await settled(back)).toBe(true)
  })

  it('are taken once by a run whose waits end while none is free', async () => {
    const slots = createSlots(1)
    slots.acquire()
    const slot = slots.open()
    slot.giveUp()
    slots.acquire()
    const other = slots.open()
    const both = Promise.all([slot.take(), slot.take()])
    other.end()
    await both
    slot.end()
    expect(slots.acquire()).toBeUndefined()
  })

  it('are not taken by a run that has ended while it waited', async () => {
    const slots = createSlots(1)
    slots.acquire()
    const slot = slots.open()
    slot.giveUp()
    slots.acquire()
    const other = slots.open()
    const back = slot.take()
    slot.end()
    other.end()
    await back
    expect(slots.acquire()).toBeUndefined()
    const next = slots.open()
    next.giveUp()
    expect(slots.acquire()).toBeUndefined()
  })
})
