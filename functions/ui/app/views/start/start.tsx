import { type ReactNode, useEffect } from 'react'
import { Composer } from '../../create/composer.tsx'
import { Now } from './now.tsx'
import { Samples } from './samples.tsx'

/** The first page: work is handed over here. */
export const Start = (): ReactNode => {
  useEffect(() => {
    document.title = 'New task · Agent Tasks'
  }, [])
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-7 px-4 py-6 md:px-6 md:pt-[9vh]">
        <div className="flex flex-col gap-4">
          <h1 className="text-2xl font-semibold tracking-tight">What should an agent do?</h1>
          <Composer purpose="create" isStillOpen={() => location.pathname === '/'}>
            {({ fields, problem, mode, submit }) => (
              <div className="flex flex-col gap-4">
                {fields}
                <div className="flex flex-wrap items-center justify-end gap-2 max-md:sticky max-md:bottom-0 max-md:z-10 max-md:-mx-4 max-md:border-t max-md:bg-background max-md:px-4 max-md:py-2">
                  {problem}
                  {mode}
                  {submit}
                </div>
              </div>
            )}
          </Composer>
        </div>
        <Samples />
        <Now />
      </div>
    </div>
  )
}
