import type { ErrorComponentProps } from '@tanstack/react-router'
import { Boundary, useRecovery } from './boundary.tsx'
import { colouredWords } from './coloured-limit.ts'
import { lazyComponent } from './lazy.tsx'
import { TextPieces } from './plain-text.tsx'

const Coloured = lazyComponent(() => import('./coloured-code.tsx'), 'ColouredCode')

type Props = { text: string; language: string | null | undefined }

/** Highlighted where the language is named and the text is short enough; plain until the highlighter is loaded. */
export const Code = ({ text, language }: Props) => (
  <pre className="my-2 rounded-md border bg-muted/60 px-3 py-2 font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
    <code>
      {language && colouredWords(text) > 0 ? (
        <Boundary
          resetKey="code colours"
          failed={(props) => <Uncoloured {...props} text={text} />}
          loading={text}
        >
          <Coloured text={text} language={language} />
        </Boundary>
      ) : (
        <TextPieces text={text} />
      )}
    </code>
  </pre>
)

const Uncoloured = ({ text, ...props }: ErrorComponentProps & { text: string }) => {
  useRecovery(props)
  return text
}
