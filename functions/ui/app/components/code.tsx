import { Boundary } from './boundary.tsx'
import { lazyComponent } from './lazy.tsx'

const Coloured = lazyComponent(() => import('./coloured-code.tsx'), 'ColouredCode')

/** Longer code takes too long to colour while it is streamed. */
const MOST_COLOURED = 50_000

type Props = { text: string; language: string | null | undefined }

/** A block of code: coloured where its language is named, and as text until the code for that is there. */
export const Code = ({ text, language }: Props) => (
  <pre className="my-2 rounded-md border bg-muted/60 px-3 py-2 font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
    <code>
      {language && text.length <= MOST_COLOURED ? (
        <Boundary of="code colours" failed={() => text} loading={text}>
          <Coloured text={text} language={language} />
        </Boundary>
      ) : (
        text
      )}
    </code>
  </pre>
)
