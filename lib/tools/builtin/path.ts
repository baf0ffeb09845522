import * as z from 'zod'

/** A path inside the workspace; whether it really is one is for the guards to say. */
export const PathSchema = z.string().min(1).max(1_024).describe('Path relative to the workspace')
