import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { fetchAdmin } from '../../../api/fetch.ts';
import type { Filters } from '../../../api/filters.ts';
import { problemOf, unreachable } from '../../../api/problem.ts';
import { Button } from '../../../components/button.tsx';
import { saveAs } from '../../../components/save-as.ts';
import styles from './summary.module.css';

const formats = ['csv', 'ndjson'] as const;
type Format = (typeof formats)[number];

/** Saves the events of a list as a file. */
export function ExportButtons({ filters }: { filters: Filters }) {
  const save = useMutation({ mutationFn: (format: Format) => download(filters, format) });
  return (
    <div className={styles.export}>
      <span role="status" className={styles.result} data-tone={save.isError ? 'bad' : 'calm'}>
        {save.isPending && 'Exporting …'}
        {save.isSuccess && 'Saved.'}
        {save.error?.message}
      </span>
      {formats.map((format) => (
        <Button
          key={format}
          tone="quiet"
          aria-label={`Export as ${format.toUpperCase()}`}
          blocked={save.isPending}
          onClick={() => save.mutate(format)}
        >
          <Download /> {format.toUpperCase()}
        </Button>
      ))}
    </div>
  );
}

/** @throws ApiProblem, also when the answer breaks off: the file would lack events. */
async function download(filters: Filters, format: Format): Promise<void> {
  const query = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value);
  const file = await fetchAdmin(`/admin/events/export?${query}`)
    .then(async (response) => {
      if (!response.ok) throw problemOf(response.status, await response.json().catch(() => null));
      return response.blob();
    })
    .catch((error: unknown) => {
      throw error instanceof TypeError ? unreachable(error) : error;
    });
  saveAs(`events.${format}`, file);
}
