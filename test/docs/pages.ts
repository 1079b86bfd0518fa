import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readProjectFile } from '../docker/files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The paths in `.gitignore`, and Git's folder. */
const notOfTheProject = new Set(['node_modules', '.git', '.data', '.bench', '.env']);

const filesBelow = (folder: string): string[] =>
  readdirSync(`${root}${folder}`, { withFileTypes: true })
    .filter(({ name }) => !notOfTheProject.has(name))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(`${folder}${entry.name}/`) : [`${folder}${entry.name}`]));

/** All files of the project by their paths from its root. */
export const projectFiles: readonly string[] = filesBelow('');

/** The documentation: the pages of the root that users read, all of `docs/`, and that of `examples/`. */
export const pages: readonly string[] = projectFiles.filter(
  (path) => /^(README|CONTRIBUTING|SECURITY|CHANGELOG)\.md$/.test(path) || /^(docs|examples)\/.*\.md$/.test(path),
);

/** A page without code blocks, in which `#` starts a comment and `](` is code. */
export const proseOf = (page: string) => readProjectFile(page).replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');

/** The text of a page's code blocks in one of these languages. */
export const codeOf = (page: string, language: string) =>
  [...readProjectFile(page).matchAll(new RegExp(`^( *)\`\`\`${language}\n([\\s\\S]*?)^\\1\`\`\`$`, 'gm'))].map(
    ([, , code]) => code ?? '',
  );

/** The anchors of a page's headings, as GitHub makes them; a repeated heading gets a number. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ (.+)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replaceAll(/[^\p{L}\p{N}_\s-]/gu, '').replaceAll(/\s/g, '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}
