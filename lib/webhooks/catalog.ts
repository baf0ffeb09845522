import { codehost } from './codehost/provider.ts'
import type { Provider } from './provider.ts'
import type { Sender } from './schema.ts'
import { trackera } from './trackera/provider.ts'
import { trackerb } from './trackerb/provider.ts'

/** Every sender of events. */
export const catalog: Readonly<Record<Sender, Provider>> = { codehost, trackera, trackerb }
