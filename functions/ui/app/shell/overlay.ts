import { createSignal } from '../data/signal.ts'

export const overlay = createSignal<'create' | 'again' | 'palette' | 'keys' | 'menu' | undefined>(undefined)
export const closeOverlay = () => overlay.set(undefined)
