import { randomBytes } from 'node:crypto'
import type { Entropy } from '../../ports/entropy.ts'

export const entropy: Entropy = (bytes) => randomBytes(bytes)
