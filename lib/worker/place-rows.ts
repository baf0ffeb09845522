import { collection } from '../core/collection.ts'

/** A run that has a place: the token is that of its claim. */
export type Holder = { token: string; taskId: string; at: string }

/** The runs that count toward one cap: of an agent, a repository or a user. `version` grows with each change. */
export type PlaceRow = { id: string; version: number; holders: readonly Holder[] }

export const placeRows = collection<PlaceRow>({ name: 'places', key: 'id', indexes: { all: { by: 'id' } } })

/** The tasks that wait at a cap, the next one first. */
export type PlaceWait = { cap: string; turn: string; taskId: string }

export const placeWaits = collection<PlaceWait>({
  name: 'placeWaits',
  within: 'cap',
  key: 'turn',
  indexes: { ofCap: { within: 'cap', by: 'turn' } },
})
