/*
 * Runs a fuzz target over every file of its corpus folders, so that each
 * test run replays what was found before.  An empty corpus is a failure.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_BYTES_MAX (1u << 24)

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p = malloc(INPUT_BYTES_MAX);
	uint8_t *exact;
	size_t n;

	if (!f || !p) {
		fprintf(stderr, "replay: cannot read %s\n", path);
		exit(1);
	}
	n = fread(p, 1, INPUT_BYTES_MAX, f);
	fclose(f);
	/* Exactly sized, so that a read past the end is seen. */
	exact = realloc(p, n ? n : 1);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
	return 1;
}

int main(int argc, char **argv)
{
	int count = 0;

	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);
		struct dirent *e;

		if (!dir) {
			fprintf(stderr, "replay: no corpus %s\n", argv[i]);
			return 1;
		}
		while ((e = readdir(dir))) {
			char path[4096];

			if (e->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", argv[i],
				 e->d_name);
			count += replay_file(path);
		}
		closedir(dir);
	}
	printf("%d passed, %d failed\n", count, count == 0);
	return count == 0;
}
