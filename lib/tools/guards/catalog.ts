import type { Guard } from './guard.ts'
import { pathTraversal } from './path-traversal.ts'
import { rateLimit } from './rate-limit.ts'
import { secretExfiltration } from './secret-exfiltration.ts'
import { shellInjection } from './shell-injection.ts'

/** Every guard, in the order of asking: what the words are made of comes before where they lead. All of them hold in every mode, `full` included. */
export const guards: readonly Guard[] = [shellInjection, pathTraversal, secretExfiltration, rateLimit]
