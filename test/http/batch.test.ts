import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { createBatch } from '../../lib/http/host.ts'

it('makes the calls of a turn at its end, in order, so that their promises take turns', async () => {
  const inTurn = createBatch()
  const heard: string[] = []
  const call = (name: string) => async () => {
    heard.push(`${name}1`)
    await undefined
    heard.push(`${name}2`)
  }
  inTurn(() => void call('a')())
  inTurn(() => void call('b')())
  expect(heard).toEqual([])
  await turn()
  expect(heard).toEqual(['a1', 'b1', 'a2', 'b2'])
})

it('puts off to the next turn what is asked for meanwhile', async () => {
  const inTurn = createBatch()
  const heard: string[] = []
  inTurn(() => {
    heard.push('first')
    inTurn(() => heard.push('second'))
  })
  await turn()
  expect(heard).toEqual(['first'])
  await turn()
  expect(heard).toEqual(['first', 'second'])
})
