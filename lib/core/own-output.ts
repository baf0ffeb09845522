type Outcome = { result?: { output: string } | undefined; error?: { message: string } | undefined }

/** What an agent said, or an empty text: the output of a failure that an agent itself reports repeats its error. */
export const ownOutput = ({ result, error }: Outcome): string =>
  result === undefined || result.output === error?.message ? '' : result.output
