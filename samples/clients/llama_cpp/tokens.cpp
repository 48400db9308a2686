// Greedy tokens of a model: tokens MODEL LAYERS COUNT FLASH [LOGITS]
//
// LAYERS: layers on the devices; 0: all on the CPU. FLASH: 1 with flash attention, 0 without. LOGITS: a file for the
// logits of all steps, as floats.
#include "ggml-backend.h"
#include "llama.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

using Clock = std::chrono::steady_clock;

static const int MISUSED = 2;
static const std::vector<llama_token> PROMPT = {1, 50, 60, 70, 80, 90, 100, 110};

// The next `count` tokens after the prompt. Empty if a step fails.
static std::vector<llama_token> generate(llama_context *context, int words, int count, FILE *logits)
{
    std::vector<llama_token> next = PROMPT, generated;
    for (int step = 0; step < count; step++) {
        Clock::time_point start = Clock::now();
        std::clock_t used = std::clock();
        if (llama_decode(context, llama_batch_get_one(next.data(), (int32_t)next.size())) != 0)
            return {};
        const float *row = llama_get_logits_ith(context, -1);
        std::chrono::duration<double> took = Clock::now() - start;
        double cpu = (double)(std::clock() - used) / CLOCKS_PER_SEC;
        std::fprintf(stderr, "step %d: %.3f s, %.3f s of the CPU\n", step, took.count(), cpu);
        if (logits)
            std::fwrite(row, sizeof *row, (size_t)words, logits);
        next = {(llama_token)(std::max_element(row, row + words) - row)};
        generated.push_back(next.front());
    }
    return generated;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        std::fprintf(stderr, "usage: tokens MODEL LAYERS COUNT FLASH [LOGITS]\n");
        return MISUSED;
    }
    ggml_backend_load_all();
    llama_model_params of_model = llama_model_default_params();
    of_model.n_gpu_layers = std::atoi(argv[2]);
    llama_model *model = llama_model_load_from_file(argv[1], of_model);
    if (!model)
        return EXIT_FAILURE;

    llama_context_params of_context = llama_context_default_params();
    of_context.n_ctx = 128;
    of_context.n_batch = 64;
    of_context.n_threads = of_context.n_threads_batch = 2;
    bool flash = std::atoi(argv[4]) != 0;
    of_context.flash_attn_type = flash ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
    llama_context *context = llama_init_from_model(model, of_context);
    if (!context)
        return EXIT_FAILURE;

    FILE *logits = argc > 5 ? std::fopen(argv[5], "wb") : nullptr;
    int words = llama_vocab_n_tokens(llama_model_get_vocab(model));
    std::vector<llama_token> tokens = generate(context, words, std::atoi(argv[3]), logits);
    for (size_t i = 0; i < tokens.size(); i++)
        std::printf(i ? " %d" : "%d", tokens[i]);
    std::printf("\n");
    if (logits)
        std::fclose(logits);
    llama_free(context);
    llama_model_free(model);
    return tokens.empty() ? EXIT_FAILURE : EXIT_SUCCESS;
}
