import * as z from 'zod'
import type { CompileSchema } from '../http/input.ts'

/** By zod's compiler, which leaves alone what it cannot compile; what its code refuses, zod reads once more to say why. */
export const compile: CompileSchema = (schema) => z.compile(schema)
