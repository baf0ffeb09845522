import { createSignal } from '../data/signal.ts'

/** The id of the call that the bar of a phone decides about, where there is a bar. */
export const callInBar = createSignal<string | undefined>(undefined)
